"""A metric of one's own in one file: Cohen's kappa, agreement beyond chance."""

from weightpath.metrics import ConfusionMetric


class CohensKappa(ConfusionMetric):
    name = "cohens_kappa"
    label = "Cohen's kappa"
    greater_is_better = True

    def of(self, confusion):
        total = confusion.sum(axis=(-2, -1))
        agree = confusion.trace(axis1=-2, axis2=-1) / total
        by_chance = (confusion.sum(axis=-1) * confusion.sum(axis=-2)).sum(axis=-1) / total**2
        certain = by_chance == 1.0
        return (agree - by_chance) / (1.0 - by_chance + certain)


kappa = CohensKappa()

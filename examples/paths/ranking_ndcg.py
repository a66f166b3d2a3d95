"""
The order of documents along a path
===================================

The NDCG of a ranking changes only where two scores cross. From equal weights of all pairs to
weights by relevance, all crossings are known, and with them the best weighting for the top of the
list.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

rng = np.random.default_rng(3)
n_queries, n_documents = 24, 15
X = rng.normal(size=(n_queries * n_documents, 4))
qid = np.repeat(np.arange(n_queries), n_documents)
hidden = X[:, 0] + 0.6 * X[:, 1] ** 2 + 0.7 * rng.normal(size=len(X))
y = np.digitize(hidden, [0.3, 1.2, 2.4])  # relevances 0 to 3
train, new = qid < 10, qid >= 10

model = wp.RankingSVM(C=0.02, gamma=0.2).fit(X[train], y[train], qid=qid[train])
path = model.reweight("relevance")
print(f"{len(model.pairs_)} pairs, {path.n_events} events")

# %%
curve = path.curve(X[new], y[new], "ndcg", qid=qid[new], k=5, convention="exponential")

curve.plot()
print(f"NDCG@5: {curve(0):.4f} with equal weights, {curve(1):.4f} by relevance,")
print(f"{curve.best.value:.4f} at theta = {curve.best.theta:.3f}")

# %%
# The scores of the documents of one new query: each crossing may change the NDCG.

query = qid == 12
theta = np.linspace(0, 1, 200)
scores = path.decision_function(X[query], theta)
ax = plt.figure().gca()
for score, relevance in sorted(zip(scores.T, y[query], strict=True), key=lambda pair: pair[1]):
    ax.plot(theta, score, color=plt.cm.viridis_r(relevance / 3), linewidth=1 + relevance)
ax.set(xlabel="theta", ylabel="scores of one query")
for relevance in range(4):
    ax.plot([], [], color=plt.cm.viridis_r(relevance / 3), label=str(relevance))
ax.legend(title="relevance", loc="center left", bbox_to_anchor=(1, 0.5))

# %%
# The best theta is chosen on the queries that it is measured on, and between it and the end of
# the path there is hardly a difference. Whether a gain is real is a question for further queries,
# or for :class:`~weightpath.PathSearchCV` over queries.

# Called as: Rscript --vanilla svmpath.R FOLDER GAMMA LAMBDA_MIN
#
# Reads x.csv and y.csv (no header) in the folder, calls svmpath::svmpath with its radial kernel, and
# writes, with all digits: lambda.csv and alpha0.csv (one value a line), alpha.csv (one row for each
# observation, one column for each lambda), seconds.csv (processor time of the call, one value) and
# ridge.csv (the ridge it needed, one value).

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
gamma <- as.numeric(arguments[2])
lambda_min <- as.numeric(arguments[3])

suppressPackageStartupMessages(library(svmpath))

read_values <- function(name) {
  unname(as.matrix(read.csv(file.path(folder, name), header = FALSE, colClasses = "numeric")))
}

write_values <- function(values, name) {
  values <- as.matrix(values)
  text <- matrix(sprintf("%.17g", values), nrow(values))
  write.table(text, file.path(folder, name), sep = ",", quote = FALSE, row.names = FALSE,
              col.names = FALSE)
}

x <- read_values("x.csv")
y <- as.vector(read_values("y.csv"))

follow <- function(ridge) {
  begin <- proc.time()
  fit <- svmpath(x, y, kernel.function = radial.kernel, param.kernel = gamma, trace = FALSE,
                 plot.it = FALSE, lambda.min = lambda_min, ridge = ridge)
  used <- proc.time() - begin
  list(fit = fit, seconds = used[["user.self"]] + used[["sys.self"]], ridge = ridge)
}

# Its documentation advises a small ridge where it meets a singular system.
answer <- tryCatch(follow(0), error = function(condition) follow(1e-10))

write_values(answer$fit$lambda, "lambda.csv")
write_values(answer$fit$alpha0, "alpha0.csv")
write_values(cbind(answer$fit$alpha), "alpha.csv")
write_values(answer$seconds, "seconds.csv")
write_values(answer$ridge, "ridge.csv")

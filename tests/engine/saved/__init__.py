"""Problems on which the engine once failed, each as a few lines that build it."""

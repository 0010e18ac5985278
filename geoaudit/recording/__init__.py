"""Recording a CUDA process: the injected library, the runner, and what it leaves to be read."""

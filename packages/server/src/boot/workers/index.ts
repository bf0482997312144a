// Several processes on the cores of one machine: a first one, and workers that serve the calls.
export { bootWithWorkers } from './first.ts';
export { runWorker } from './worker.ts';

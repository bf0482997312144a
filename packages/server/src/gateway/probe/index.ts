export { createProbe, type Probe, type ProbeDeps, type Tester } from './probe.ts';

export { createProbe, type Probe, type ProbeDeps, type Tester, type TestResult } from './probe.ts';

export { renewSeals, type SealsDeps } from './renew.ts';

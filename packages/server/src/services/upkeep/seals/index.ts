export { firstMasterKey } from './first-master-key.ts';
export { renewSeals, type SealsDeps } from './renew.ts';
export { rotateSeals, unopened } from './rotate.ts';

export { firstMasterKey } from './first-master-key.ts';
export { renewSeals } from './renew.ts';
export { rotateSeals, unopened } from './rotate.ts';

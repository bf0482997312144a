export { foundingKey } from './founding-key.ts';
export { renewSeals, type SealsDeps } from './renew.ts';
export { rotateSeals, unopened } from './rotate.ts';

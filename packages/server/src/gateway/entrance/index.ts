export {
  admissionOn,
  admit,
  admitRate,
  callerOf,
  countSuccess,
  createFundsCheck,
  identifyByKey,
  modelsFor,
  pricedAdmission,
  pricedNames,
  usingGroup,
  withoutPlaygroundWords,
  wordIn,
} from './admit.ts';
export { enterRun, readRun } from './run.ts';
export { checkTags, readTags } from './tags.ts';

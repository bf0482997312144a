export {
  admissionOn,
  admit,
  admitRate,
  checkTags,
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
export { readTags } from './tags.ts';

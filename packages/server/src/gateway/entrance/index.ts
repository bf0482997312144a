export {
  admissionOn,
  admit,
  admitRate,
  countSuccess,
  modelsFor,
  pricedAdmission,
  pricedNames,
  usingGroup,
  withoutPlaygroundWords,
  wordIn,
} from './admit.ts';
export { createFundsCheck, identifyByKey } from './identify.ts';

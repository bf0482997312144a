export { admissionOn, admit, modelsFor, pricedAdmission, pricedNames, usingGroup } from './admit.ts';
export { wordIn } from './forbidden-words.ts';
export { createFundsCheck } from './funds-check.ts';
export { identifyByKey } from './identify.ts';
export { withoutPlaygroundWords } from './playground.ts';
export { admitRate, countSuccess } from './rate.ts';

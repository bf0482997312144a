export {
  admissionOn,
  admit,
  admitRate,
  callerOf,
  checkTags,
  missingTags,
  countSuccess,
  createFundsCheck,
  identifyByKey,
  identifyByMark,
  modelsFor,
  pricedAdmission,
  pricedNames,
  usingGroups,
  withoutPlaygroundWords,
  wordIn,
} from './admit.ts';
export { checkRule, ruleBar, ruleBarsAll } from './channel-rule.ts';
export { enterRun, readRun, readRunKey, readRunPath } from './run.ts';
export { readTags } from './tags.ts';

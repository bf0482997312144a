import { choiceParam, flagParam, numberParam } from '../../shared/url-state/params.ts';

/** What of the page lives in its address. */
export const reconciliationSearch = {
  /** 0 for the newest. */
  report: numberParam(0),
  only: flagParam,
  tolerance: choiceParam(['0.5', '0', '1', '5']),
};

import { choiceParam, flagParam, numberParam } from '../../shared/url-state/params.ts';

/** URL parameters of the page. */
export const reconciliationSearch = {
  /** 0 for the newest. */
  report: numberParam(0),
  only: flagParam,
  tolerance: choiceParam(['0.5', '0', '1', '5']),
};

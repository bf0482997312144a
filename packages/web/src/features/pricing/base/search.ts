import { choiceParam, flagParam, pageParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the price list. */
export const pricingSearch = {
  p: pageParam,
  q: textParam(),
  /** The group looked at; '' for the person's own. */
  group: textParam(),
  /** '' for every one. */
  vendor: textParam(),
  ability: textParam(),
  /** Models side by side, joined by commas. */
  compare: textParam(),
  /** Shows the ratios that make the prices. */
  ratios: flagParam,
  type: choiceParam(['all', 'tokens', 'calls']),
};

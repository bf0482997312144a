import { choiceParam, flagParam, pageParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the price list. */
export const pricingSearch = {
  p: pageParam,
  q: textParam(),
  /** The selected group; '' for the user's own. */
  group: textParam(),
  /** '' for every one. */
  vendor: textParam(),
  ability: textParam(),
  /** Compared models, joined by commas. */
  compare: textParam(),
  /** Shows the ratios behind the prices. */
  ratios: flagParam,
  type: choiceParam(['all', 'tokens', 'calls']),
};

import { choiceParam, flagParam, pageParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the channel page. */
export const channelSearch = {
  p: pageParam,
  keyword: textParam(),
  group: textParam(),
  model: textParam(),
  status: choiceParam(['all', 'enabled', 'failing', 'disabled', 'autoDisabled']),
  /** Sort column of the list; '' for the default order. */
  sort: textParam(),
  /** Rows are tags instead of channels. */
  tags: flagParam,
  /** The channel in the form: its id, or `new`. */
  edit: textParam(),
  /** Id of the channel in the model test. */
  test: textParam(),
  /** The choice of channels is explained. */
  why: flagParam,
  /** The tag in the form. */
  tag: textParam(),
};

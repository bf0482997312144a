import { choiceParam, flagParam, pageParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the channel page. */
export const channelSearch = {
  p: pageParam,
  keyword: textParam(),
  group: textParam(),
  model: textParam(),
  status: choiceParam(['all', 'enabled', 'failing', 'disabled', 'autoDisabled']),
  /** A column that orders the list; '' for its own order. */
  sort: textParam(),
  /** Rows are tags instead of channels. */
  tags: flagParam,
  /** The channel whose form is open: its id, or `new`. */
  edit: textParam(),
  /** The channel whose models are tested: its id. */
  test: textParam(),
  /** The tag whose form is open. */
  tag: textParam(),
};

import type { RangeName } from '../../../shared/time-range/range.ts';
import {
  choiceParam,
  flagParam,
  numberParam,
  pageParam,
  textParam,
} from '../../../shared/url-state/params.ts';

/** Time ranges of drawings, which users revisit later; the first is the default. */
export const drawingRanges = ['30d', 'today', '24h', '7d', 'all', 'custom'] as const satisfies RangeName[];
export const taskRanges = ['today', '24h', '7d', '30d', 'all', 'custom'] as const satisfies RangeName[];

const shared = {
  p: pageParam,
  /** Searched and open task ids. */
  id: textParam(),
  open: textParam(),
  start: numberParam(0),
  end: numberParam(0),
  /** For administrators only. */
  channel: numberParam(0),
};

/** URL parameters of the drawing log. */
export const drawingSearch = { ...shared, range: choiceParam(drawingRanges) };

/** URL parameters of the task log. */
export const taskSearch = {
  ...shared,
  range: choiceParam(taskRanges),
  platform: textParam(),
  status: textParam(),
};

export const gallerySearch = {
  kind: choiceParam(['', 'picture', 'song', 'video']),
  /** True leaves out failed works. */
  made: flagParam,
  open: textParam(),
};

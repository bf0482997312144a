import type { RangeName } from '../../../shared/time-range/range.ts';
import {
  choiceParam,
  flagParam,
  numberParam,
  pageParam,
  textParam,
} from '../../../shared/url-state/params.ts';

/** Spans of drawings, which people come back to later; the first is the default. */
export const drawingRanges = ['30d', 'today', '24h', '7d', 'all', 'custom'] as const satisfies RangeName[];
export const taskRanges = ['today', '24h', '7d', '30d', 'all', 'custom'] as const satisfies RangeName[];

const shared = {
  p: pageParam,
  /** The task that is looked for, and the one that is open. */
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
  /** True leaves out what failed. */
  made: flagParam,
  open: textParam(),
};

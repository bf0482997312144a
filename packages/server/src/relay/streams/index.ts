export { BytesPass } from './bytes-pass.ts';
export { ConvertPipe } from './convert-pipe.ts';
export { CountImages } from './count-images.ts';
export {
  addAll,
  addMedia,
  addText,
  emptyText,
  EventParser,
  type TextReader,
  type TextSink,
} from './text-tap.ts';
export { findUsage, JsonPass, kindOf, SniffPipe } from './json-pass.ts';
export { addMember, changeLastEvent, lastEventIn } from './late-usage.ts';
export {
  type AnswerWire,
  contentIn,
  pass,
  type StreamWire,
  unsupportedPassing,
  type Verdict,
} from './wire.ts';
export { SearchCount, UnframePipe, WrappedPipe } from './wrapped-pipe.ts';
export { StreamPass } from './stream-pass.ts';

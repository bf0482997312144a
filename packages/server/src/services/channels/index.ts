export { namesOf, type ParseContext, parseChannel } from './parse.ts';
export type { ChannelRow, RoutedChannel } from './types.ts';

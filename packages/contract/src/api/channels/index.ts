export * from './channel.ts';
export * from './channel-data.ts';
export * from './channel-limits.ts';
export {
  channelChange,
  type ChannelChange,
  channelErrors,
  type ChannelDraft,
  type PreviewPath,
  channelInput,
  type ChannelInput,
  keylessTypes,
} from './channel-input.ts';
export * from './channel-query.ts';
export { costApi } from './cost.ts';
export * from './health.ts';
export * from './model.ts';
export * from './routing.ts';
export * from './traffic.ts';

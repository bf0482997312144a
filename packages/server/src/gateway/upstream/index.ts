export { type BeforeSend, createBeforeSend, createSendTools, type SendEffects } from './before-send.ts';
export { createFileFetch } from './fetch-file.ts';
export { LocalCall } from './local-call.ts';
export {
  canLimitUses,
  goesOnTranslated,
  MissingProtocols,
  prepareCall,
  type PrepareDeps,
} from './prepare.ts';
export { SocketCall } from './socket-call.ts';
export { unanswered } from './unanswered.ts';

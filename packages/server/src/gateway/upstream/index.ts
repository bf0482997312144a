export { type BeforeSend, createBeforeSend, createSendTools, type SendEffects } from './before-send.ts';
export { createFileFetch } from './fetch-file.ts';
export {
  canLimitUses,
  goesOnTranslated,
  LocalCall,
  MissingProtocols,
  prepareCall,
  type PrepareDeps,
  vendorProtocol,
} from './prepare.ts';
export { SocketCall } from './socket-call.ts';
export { toolNamed, ToolServers } from './tool-servers.ts';
export { ToolServerError, type ToolProgress } from './tool-session.ts';
export { unanswered } from './unanswered.ts';

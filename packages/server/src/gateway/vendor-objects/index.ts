export { type CacheCall, type CacheLife, changeCache, createCache, type NewCache } from './caches.ts';
export { type ContainerCall, createContainer, passContainer } from './containers.ts';
export { type ConversationCall, serveConversation } from './conversations.ts';
export { type FileCall, type FileUpload, listFiles, passFile, uploadFile } from './files.ts';
export { serveCompaction } from './compaction.ts';
export { OwnResponses } from './own-responses.ts';
export {
  beginUpload,
  continueUpload,
  type UploadAnswer,
  type UploadPart,
  type UploadSession,
  type UploadStart,
} from './resumable-upload.ts';
export { passStoredResponse, type StoredResponseCall } from './stored-responses.ts';

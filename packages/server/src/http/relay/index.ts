export { type AnswerDeps, answerVisit } from './answers.ts';
export { callerBySession } from './caller-by-session.ts';
export { createRelayListener, type RelayListener, type RelayListenerDeps } from './listener.ts';
export { createUploadAddresses, type UploadAddresses } from './google-upload.ts';
export { ownersOfModels } from './models.ts';
export { routeProtocols, type RelayRoute } from './relay-route.ts';
export { relayRoutes, RelayTable } from './routes.ts';
export { answerTask, type TaskRouteDeps } from './tasks/index.ts';
export { createUpgradeListener, type UpgradeListener } from './upgrade.ts';

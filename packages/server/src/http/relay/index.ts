export { type AnswerDeps, answerVisit, type Funds } from './answers.ts';
export { createRelayListener, type RelayListenerDeps, type Visit } from './listener.ts';
export { relayRoutes } from './routes.ts';
export { createUpgradeListener, type UpgradeListener } from './upgrade.ts';

export { type AnswerDeps, answerVisit, type Funds } from './answers.ts';
export { createRelayListener, type RelayListener, type RelayListenerDeps } from './listener.ts';
export type { Visit } from './read-exchange.ts';
export { relayRoutes } from './routes.ts';
export { createUpgradeListener, type UpgradeListener } from './upgrade.ts';

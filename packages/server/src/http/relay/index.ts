export { type AnswerDeps, answerVisit, type Funds } from './answers.ts';
export { createRelayListener, hopHeader, type RelayListenerDeps, type Visit } from './listener.ts';
export { modelObject } from './models.ts';
export { type RelayRoute, relayRoutes } from './routes.ts';

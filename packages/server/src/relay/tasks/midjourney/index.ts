export { buttonAction, drawingModel, simpleChange, withoutSpeed } from './actions.ts';
export { drawingCode } from './codes.ts';
export { midjourneyTasks } from './midjourney.ts';

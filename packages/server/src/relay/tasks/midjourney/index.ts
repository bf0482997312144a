export {
  buttonAction,
  callAction,
  changeAction,
  drawingModel,
  simpleChange,
  withoutSpeed,
} from './actions.ts';
export { drawingCode } from './codes.ts';
export { drawingModels } from './models.ts';
export { midjourneyTasks } from './midjourney.ts';

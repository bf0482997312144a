export { songModels, sunoTasks } from './suno.ts';

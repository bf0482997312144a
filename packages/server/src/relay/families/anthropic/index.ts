export { claudeModels } from './models.ts';

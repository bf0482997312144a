export { createTraffic, type Traffic } from './service.ts';

export { openTools, rpcObject, type ToolHouse, type ToolVisit } from './serve-tools.ts';

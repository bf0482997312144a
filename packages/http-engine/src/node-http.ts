/**
 * Node's HTTP. An import by name reads every member of the module, including `WebSocket`, and thereby loads Node's own
 * fetch, which is not used here.
 */
export const nodeHttp = process.getBuiltinModule('node:http');

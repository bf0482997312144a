/**
 * Node's HTTP. An import by name reads every member of the module, `WebSocket` among them, and with that loads Node's own
 * fetch, which nobody here uses.
 */
export const nodeHttp = process.getBuiltinModule('node:http');

export { authenticatorPlace } from './authenticator.ts';
export { Factors, isProtected, type Owner } from './factors.ts';

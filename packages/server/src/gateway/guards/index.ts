export { type GuardDeps, serveGuarded, uncheckedError } from './serve-guarded.ts';

export { createStatements, type Statements } from './service.ts';
export { exactDollars, type Wallet } from './statement.ts';

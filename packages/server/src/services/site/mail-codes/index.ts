export { createMailCodes, type MailCodes } from './mail-codes.ts';

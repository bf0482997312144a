// Public interface of the export of a user's data.
export { createPersonalData, type PersonalData } from './personal-data.ts';

// The only door of the export of a person's data.
export { createPersonalData, type PersonalData } from './personal-data.ts';

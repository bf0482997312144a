export { makeTestCertificate, type TestCertificate, trustCertificate } from './test-certificate.ts';

export {
  makeRsaCertificate,
  makeTestCertificate,
  type TestCertificate,
  trustCertificate,
} from './test-certificate.ts';
export { type RawRequest, type RawUpstream, startRawUpstream } from './raw-upstream.ts';

//! What holds of the repository: layers, documents, prose and promises.

mod features;
mod layers;
mod opcode_document;
mod profiles;
mod prose;
mod scenario_keys;
mod security;
mod skipped;
mod verifier_document;
mod voucher;

//! The end of a transmit descriptor: the NIC has handled it and its packets have left, so its user learns of it.

use nic_core::event::{TxStatus, UnetEvent};
use nic_core::id::{EndpointId, PostId};
use nic_core::unet::{self, Completion, TransmitDescriptor};

use super::{Engines, Parts};
use crate::nic::item::{Next, Posted};

impl<E: Engines> Parts<'_, E> {
    /// Records the status of a transmit descriptor, then looks for other work.
    pub(crate) fn end_post(&mut self, posted: Posted, status: TxStatus) -> Next {
        let Posted { endpoint, post, .. } = posted;
        if self.live[endpoint].has_post_under_way {
            self.next_post_may_come(endpoint);
        }
        let queue = &mut self.endpoints[endpoint].transmit;
        let completion = queue.end(post, status);
        self.complete(endpoint, post, completion);
        Next::Look
    }

    /// Reports the completion of a transmit descriptor, if there is one, and frees the descriptor's space in the
    /// transmit region.
    pub(crate) fn complete(
        &mut self,
        id: EndpointId,
        post: PostId,
        completion: Option<Completion>,
    ) {
        let Some(Completion { descriptor, status }) = completion else {
            return;
        };
        let status = E::completed(self, id, post, Completion { descriptor, status });
        self.levels_changed(id);
        self.users[id].region.complete(descriptor);
        if !self.users_are_alone {
            self.tell_completed(id, descriptor.channel, status);
        }
        self.begin_task(id);
    }

    /// Reports the completion of a transmit descriptor to the sink.
    #[cold]
    #[inline(never)]
    pub(crate) fn report_completed(
        &mut self,
        id: EndpointId,
        post: PostId,
        Completion { descriptor, status }: Completion,
    ) {
        let refusal = match status {
            TxStatus::Refused => unet::resolve_packet(&self.endpoints[id], descriptor).err(),
            TxStatus::Ok | TxStatus::Trap | TxStatus::Failed => None,
        };
        let TransmitDescriptor {
            channel,
            offset,
            length,
        } = descriptor;
        let kind = UnetEvent::TxDone {
            channel,
            offset,
            length,
            status,
            refusal,
            post,
        };
        self.report.emit(self.now, id, kind);
    }
}

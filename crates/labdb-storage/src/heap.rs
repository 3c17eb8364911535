//! Heaps: rows in slotted pages, without order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};

use crate::allocation;
use crate::database::Database;
use crate::error::Result;
use crate::id::{HeapId, PageId, RowId};
use crate::log::record::Extent;
use crate::page::PageKind;
use crate::wait::NoWaits;

/// Pages of a heap that take inserts at the same time, so that sessions do not fight for one.
pub(crate) const LANES: usize = 8;
/// A page found by a scan with more free bytes than this takes inserts again.
pub(crate) const WORTH_REUSING: usize = 2_048;

/// A heap's state in memory.
pub(crate) struct Heap {
    pub(crate) id: HeapId,
    pub(crate) extents: RwLock<BTreeSet<Extent>>,
    /// The page that each lane inserts into.
    pub(crate) lanes: [Mutex<Option<PageId>>; LANES],
    /// Formatted pages that no lane has taken yet.
    pub(crate) fresh: Mutex<VecDeque<PageId>>,
    /// Pages with room, and the ghosts of ended transactions in them.
    pub(crate) reusable: Mutex<BTreeMap<PageId, Vec<u16>>>,
    /// Pages with room in slots whose rows are still locked by those who deleted them.
    held: Mutex<Vec<PageId>>,
    has_held: AtomicBool,
    /// Of a companion: pages with room, but not for a row that fills one.
    pub(crate) partly: Mutex<BTreeSet<PageId>>,
    /// Of a companion: extents from before the database was opened that may have room.
    pub(crate) unsurveyed: Mutex<Vec<Extent>>,
}

impl Heap {
    pub(crate) fn new(id: HeapId) -> Self {
        Self {
            id,
            extents: RwLock::default(),
            lanes: std::array::from_fn(|_| Mutex::default()),
            fresh: Mutex::default(),
            reusable: Mutex::default(),
            held: Mutex::default(),
            has_held: AtomicBool::new(false),
            partly: Mutex::default(),
            unsurveyed: Mutex::default(),
        }
    }

    /// Forgets which pages take inserts; for when the extents leave the heap.
    pub(crate) fn forget_pages(&self) {
        for lane in &self.lanes {
            *lane.lock() = None;
        }
        self.fresh.lock().clear();
        self.held.lock().clear();
        self.reusable.lock().clear();
        self.partly.lock().clear();
        self.unsurveyed.lock().clear();
    }

    /// Whether a page lies in one of the heap's extents.
    pub(crate) fn owns(&self, page: PageId) -> bool {
        self.extents.read().contains(&allocation::extent_of(page))
    }

    /// A page has room that nobody can take yet.
    pub(crate) fn hold_back(&self, page: PageId) {
        self.held.lock().push(page);
        self.has_held.store(true, Ordering::SeqCst);
    }

    /// Tries the pages that were held back again from now on.
    pub(crate) fn reuse_held(&self) {
        if self.has_held.load(Ordering::Relaxed) && self.has_held.swap(false, Ordering::SeqCst) {
            for page in self.held.lock().drain(..) {
                self.make_reusable(page, []);
            }
        }
    }

    /// A page has room, and perhaps ghosts to purge.
    pub(crate) fn make_reusable(&self, page: PageId, ghosts: impl IntoIterator<Item = u16>) {
        self.reusable.lock().entry(page).or_default().extend(ghosts);
    }
}

/// The lane of the calling thread.
pub(crate) fn own_lane() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    OWN.with(|own| own % LANES)
}

/// A row that a scan meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRow {
    /// Where it is.
    pub id: RowId,
    /// Deleted, and its space not reused yet. While the deleting transaction is open the row may
    /// come back: a reader that waits for writers locks it and reads it again.
    pub ghost: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The rows of a heap; see [`Database::scan`].
pub struct Scan {
    database: Arc<Database>,
    heap: Arc<Heap>,
    pages: std::vec::IntoIter<PageId>,
    rows: std::vec::IntoIter<ScanRow>,
}

impl Database {
    /// The heap of this id, known before or not.
    pub(crate) fn heap(&self, id: HeapId) -> Arc<Heap> {
        if let Some(heap) = self.heaps.read().get(&id) {
            return Arc::clone(heap);
        }
        let mut heaps = self.heaps.write();
        Arc::clone(heaps.entry(id).or_insert_with(|| Arc::new(Heap::new(id))))
    }

    /// All rows of a heap in the order of its extents, page by page: committed and uncommitted,
    /// and ghosts marked as such. No latch is held between rows. Extents that the heap gets after
    /// this call are not part of the scan.
    #[must_use]
    pub fn scan(self: &Arc<Self>, heap: HeapId) -> Scan {
        let heap = self.heap(heap);
        let pages: Vec<PageId> = heap
            .extents
            .read()
            .iter()
            .flat_map(|&extent| allocation::pages(extent))
            .collect();
        Scan {
            database: Arc::clone(self),
            heap,
            pages: pages.into_iter(),
            rows: Vec::new().into_iter(),
        }
    }
}

impl Scan {
    fn read_page(&self, id: PageId) -> Result<Vec<ScanRow>> {
        self.database.check_open()?;
        let frame = self.database.pool.frame(id, &self.database.log)?;
        let page = self.database.pool.read(&frame, &NoWaits)?;
        if !page.is(PageKind::Heap) || page.heap() != self.heap.id {
            return Ok(Vec::new());
        }
        let mut rows = Vec::new();
        for slot in 0..page.slot_count() {
            if let Some(row) = page.row(slot) {
                rows.push(ScanRow {
                    id: RowId { page: id, slot },
                    ghost: row.ghost,
                    bytes: row.bytes.to_vec(),
                });
            }
        }
        // What was deleted before the database was opened is decided: its space can be reused.
        if page.lsn() < self.database.opened_at {
            let ghosts: Vec<u16> = rows.iter().filter(|r| r.ghost).map(|r| r.id.slot).collect();
            if !ghosts.is_empty() || page.free() > WORTH_REUSING {
                let mut reusable = self.heap.reusable.lock();
                reusable.entry(id).or_insert(ghosts);
            }
        }
        Ok(rows)
    }
}

impl Iterator for Scan {
    type Item = Result<ScanRow>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.rows.next() {
                return Some(Ok(row));
            }
            let page = self.pages.next()?;
            match self.read_page(page) {
                Ok(rows) => self.rows = rows.into_iter(),
                Err(error) => {
                    self.pages = Vec::new().into_iter();
                    return Some(Err(error));
                }
            }
        }
    }
}

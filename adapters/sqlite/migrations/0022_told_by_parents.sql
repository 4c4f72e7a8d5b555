-- Redemptions and members of lists are published without a time of change, so that of their voucher or list moves with every
-- change of them, and not only where a tally changes.
CREATE TRIGGER contact_lists_recounts_list_members AFTER UPDATE ON list_members
WHEN (OLD.added_at) IS NOT (NEW.added_at)
BEGIN
  UPDATE contact_lists SET contact_count = contact_count + (list_id IS NEW.list_id) - (list_id IS OLD.list_id),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND list_id IN (OLD.list_id, NEW.list_id);
END;
DROP TRIGGER vouchers_recounts_voucher_redemptions;
CREATE TRIGGER vouchers_recounts_voucher_redemptions AFTER UPDATE ON voucher_redemptions
WHEN (OLD.voucher_id, OLD.group_id, OLD.contact_id, OLD.site_id, OLD.amount_cents, OLD.code, OLD.redeemed_at) IS NOT (NEW.voucher_id, NEW.group_id, NEW.contact_id, NEW.site_id, NEW.amount_cents, NEW.code, NEW.redeemed_at)
BEGIN
  UPDATE vouchers SET redemption_count = redemption_count + (voucher_id IS NEW.voucher_id) - (voucher_id IS OLD.voucher_id),
    last_redeemed_at = (SELECT max(c.redeemed_at) FROM voucher_redemptions AS c
      WHERE c.organization_id = vouchers.organization_id AND c.voucher_id = vouchers.voucher_id),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND voucher_id IN (OLD.voucher_id, NEW.voucher_id);
END;

// Injection rules in Vietnamese.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Vietnamese. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "first",
    drop: "bỏ qua|phớt lờ|quên(?: đi)?|lờ đi|không (?:cần )?tuân (?:theo|thủ)|ngừng tuân (?:theo|thủ)|hủy bỏ|vượt qua",
    rules:
      "(?:hướng dẫn|chỉ dẫn|chỉ thị|quy tắc|mệnh lệnh|lệnh|giới hạn|hạn chế|quy định)(?: hệ thống)? (?:trước đó|trước đây|ở trên|phía trên|bên trên|ban đầu|của bạn|nội bộ|đã (?:cho|nhận|được đưa))",
    show: "hiển thị|in ra|tiết lộ|cho (?:tôi )?(?:xem|biết)|sao chép|lặp lại|viết (?:ra|lại)|dịch|tóm tắt",
    secret:
      "(?:lời nhắc|prompt|câu lệnh) hệ thống(?: của bạn)?|(?:hướng dẫn|chỉ dẫn|quy tắc) (?:ẩn|bí mật|nội bộ|ban đầu|gốc) của bạn",
    become: "từ (?:bây giờ|giờ)|bây giờ bạn là|hãy đóng vai|giả vờ|hãy tưởng tượng|chuyển sang",
    free: "không (?:có |bị |tuân theo )?(?:bất kỳ )?(?:quy tắc|giới hạn|hạn chế|bộ lọc|kiểm duyệt)",
  },
  orders: {
    forget:
      "quên (?:hết|đi|tất cả)…(?:được bảo|đã nói|được dạy|tôi nói|được dặn)|(?:đừng để ý|đừng quan tâm|bỏ qua|mặc kệ)(?: đến| tới)? (?:tất cả )?(?:các |những )?(?:quy tắc|hướng dẫn|chỉ dẫn|luật) (?:ở |phía )?(?:trên|bên trên)",
    obey: "chỉ (?:nghe lời|tuân lệnh|vâng lời|tuân theo) (?:mình )?tôi|chỉ (?:làm theo|tuân theo|nghe) (?:mệnh )?lệnh (?:của )?tôi",
    recite:
      "(?:lặp lại|nhắc lại|chép lại|sao chép) (?:toàn bộ )?(?:văn bản|nội dung) (?:ở |phía )?(?:trên|bên trên)(?:…(?:từng chữ|nguyên văn|từng từ)| ?[.!।۔]| ?$)|các? ?(?:chỉ dẫn|hướng dẫn|lệnh) (?:ẩn|bí mật|nội bộ|ban đầu) của bạn là gì",
    mode: "(?:bật|kích hoạt|vào) chế độ (?:nhà phát triển|gỡ lỗi|quản trị|dan)(?: ?[.!]| ?$| và (?:trả lời|hiển thị|bỏ qua|cho))",
    persona:
      "(?:từ giờ|từ bây giờ|bây giờ|kể từ giờ),? bạn (?:là|sẽ là) dan\\b|(?:giả vờ|hãy tưởng tượng|đóng vai|hành động như)…(?:ai|trợ lý|mô hình|chatbot|trí tuệ nhân tạo)…không (?:có|bị) (?:bộ lọc|quy tắc|giới hạn|kiểm duyệt|luật)",
    refuse:
      "(?:không bao giờ|đừng bao giờ) (?:được )?nói (?:rằng )?(?:bạn )?không thể|trả lời (?:mọi|tất cả) (?:các )?câu hỏi…(?:không (?:cảnh báo|giới hạn|từ chối)|mà không cần)",
    indirect:
      "(?:lưu ý|ghi chú|thông điệp|chỉ dẫn|tin nhắn) (?:cho|gửi|dành cho) (?:các )?(?:mô hình|trợ lý|hệ thống|tác nhân)? ?(?:ai|llm|trí tuệ nhân tạo|ngôn ngữ)|trợ lý ai (?:đang )?đọc (?:email|trang|văn bản|tài liệu) này",
    decode: "(?:giải mã)…(?:thực hiện|làm theo|tuân theo)",
  },
};
